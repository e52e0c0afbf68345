# Run in this folder: gnuplot fig2d_sign.gp
set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 960,480 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2d_sign.svg'
set ylabel 'test loss - optimal loss (nats per site)'
set xtics ("free\na = 0" 0, "softmax\na = 0" 1, "a = 0.1" 2, "a = 0.4" 3, "a = 1" 4)
set xrange [-0.5:4.5]
set logscale y
set key outside right
plot 'fig2d_sign.csv' using (strcol('law') eq 'J' && column('distance') == 0.3 ? column('place') + -0.1 : NaN):'excess':'error' with yerrorbars pt 7 ps 1.2 lw 2 lc rgb '#440154' title 'J, distance 0.3', \
     'fig2d_sign.csv' using (strcol('law') eq 'abs(J)' && column('distance') == 0.3 ? column('place') + -0.1 : NaN):'excess':'error' with yerrorbars pt 6 ps 1.2 lw 2 lc rgb '#440154' title 'abs(J), distance 0.3', \
     'fig2d_sign.csv' using (strcol('law') eq 'J' && column('distance') == 0.7 ? column('place') + 0 : NaN):'excess':'error' with yerrorbars pt 7 ps 1.2 lw 2 lc rgb '#21918c' title 'J, distance 0.7', \
     'fig2d_sign.csv' using (strcol('law') eq 'abs(J)' && column('distance') == 0.7 ? column('place') + 0 : NaN):'excess':'error' with yerrorbars pt 6 ps 1.2 lw 2 lc rgb '#21918c' title 'abs(J), distance 0.7', \
     'fig2d_sign.csv' using (strcol('law') eq 'J' && column('distance') == 0.8 ? column('place') + 0.1 : NaN):'excess':'error' with yerrorbars pt 7 ps 1.2 lw 2 lc rgb '#e6740b' title 'J, distance 0.8', \
     'fig2d_sign.csv' using (strcol('law') eq 'abs(J)' && column('distance') == 0.8 ? column('place') + 0.1 : NaN):'excess':'error' with yerrorbars pt 6 ps 1.2 lw 2 lc rgb '#e6740b' title 'abs(J), distance 0.8'
unset output
set terminal pngcairo size 960,480 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2d_sign.png'
set ylabel 'test loss - optimal loss (nats per site)'
set xtics ("free\na = 0" 0, "softmax\na = 0" 1, "a = 0.1" 2, "a = 0.4" 3, "a = 1" 4)
set xrange [-0.5:4.5]
set logscale y
set key outside right
plot 'fig2d_sign.csv' using (strcol('law') eq 'J' && column('distance') == 0.3 ? column('place') + -0.1 : NaN):'excess':'error' with yerrorbars pt 7 ps 1.2 lw 2 lc rgb '#440154' title 'J, distance 0.3', \
     'fig2d_sign.csv' using (strcol('law') eq 'abs(J)' && column('distance') == 0.3 ? column('place') + -0.1 : NaN):'excess':'error' with yerrorbars pt 6 ps 1.2 lw 2 lc rgb '#440154' title 'abs(J), distance 0.3', \
     'fig2d_sign.csv' using (strcol('law') eq 'J' && column('distance') == 0.7 ? column('place') + 0 : NaN):'excess':'error' with yerrorbars pt 7 ps 1.2 lw 2 lc rgb '#21918c' title 'J, distance 0.7', \
     'fig2d_sign.csv' using (strcol('law') eq 'abs(J)' && column('distance') == 0.7 ? column('place') + 0 : NaN):'excess':'error' with yerrorbars pt 6 ps 1.2 lw 2 lc rgb '#21918c' title 'abs(J), distance 0.7', \
     'fig2d_sign.csv' using (strcol('law') eq 'J' && column('distance') == 0.8 ? column('place') + 0.1 : NaN):'excess':'error' with yerrorbars pt 7 ps 1.2 lw 2 lc rgb '#e6740b' title 'J, distance 0.8', \
     'fig2d_sign.csv' using (strcol('law') eq 'abs(J)' && column('distance') == 0.8 ? column('place') + 0.1 : NaN):'excess':'error' with yerrorbars pt 6 ps 1.2 lw 2 lc rgb '#e6740b' title 'abs(J), distance 0.8'
unset output
