# Run in this folder: gnuplot fig2c.gp
set datafile separator ','
set encoding utf8
set border 3 lw 1
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
set style line 4 lc rgb '#777777' lw 1.5 dt 4
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 1000,540 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2c.svg'
set title "Coupling error of factored attention, gaussian couplings, L = q = 20, M = 3000\nSGD on masked tokens, batch 100, rate 0.1, momentum 0.9, best of 8 starts" font ',12'
set logscale xy
set xlabel 'epoch (one masked site per sequence)'
set ylabel 'sum_{ij} (beta J_{ij} - A_{ij})^2 / L^2  (no unit)'
set format y '10^{%L}'
set key outside right top Left reverse samplen 3 spacing 1.2 font ',11'
set xrange [1:2000]
plot 'fig2c.csv' using 'epoch':'error_0.3_1' with linespoints lc rgb '#08306b' dt 1 pt 5 ps 0.7 lw 1.5 title 'distance 0.3, seed 1', \
     'fig2c.csv' using 'epoch':'error_0.3_2' with linespoints lc rgb '#08306b' dt 1 pt 7 ps 0.7 lw 1.5 title 'distance 0.3, seed 2', \
     'fig2c.csv' using 'epoch':'error_0.3_3' with linespoints lc rgb '#08306b' dt 1 pt 9 ps 0.7 lw 1.5 title 'distance 0.3, seed 3', \
     'fig2c.csv' using 'epoch':'error_0.7_1' with linespoints lc rgb '#e6740b' dt 2 pt 4 ps 0.7 lw 1.5 title 'distance 0.7, seed 1', \
     'fig2c.csv' using 'epoch':'error_0.7_2' with linespoints lc rgb '#e6740b' dt 2 pt 6 ps 0.7 lw 1.5 title 'distance 0.7, seed 2', \
     'fig2c.csv' using 'epoch':'error_0.7_3' with linespoints lc rgb '#e6740b' dt 2 pt 8 ps 0.7 lw 1.5 title 'distance 0.7, seed 3'
unset output
unset multiplot
set terminal pngcairo size 1000,540 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2c.png'
set title "Coupling error of factored attention, gaussian couplings, L = q = 20, M = 3000\nSGD on masked tokens, batch 100, rate 0.1, momentum 0.9, best of 8 starts" font ',12'
set logscale xy
set xlabel 'epoch (one masked site per sequence)'
set ylabel 'sum_{ij} (beta J_{ij} - A_{ij})^2 / L^2  (no unit)'
set format y '10^{%L}'
set key outside right top Left reverse samplen 3 spacing 1.2 font ',11'
set xrange [1:2000]
plot 'fig2c.csv' using 'epoch':'error_0.3_1' with linespoints lc rgb '#08306b' dt 1 pt 5 ps 0.7 lw 1.5 title 'distance 0.3, seed 1', \
     'fig2c.csv' using 'epoch':'error_0.3_2' with linespoints lc rgb '#08306b' dt 1 pt 7 ps 0.7 lw 1.5 title 'distance 0.3, seed 2', \
     'fig2c.csv' using 'epoch':'error_0.3_3' with linespoints lc rgb '#08306b' dt 1 pt 9 ps 0.7 lw 1.5 title 'distance 0.3, seed 3', \
     'fig2c.csv' using 'epoch':'error_0.7_1' with linespoints lc rgb '#e6740b' dt 2 pt 4 ps 0.7 lw 1.5 title 'distance 0.7, seed 1', \
     'fig2c.csv' using 'epoch':'error_0.7_2' with linespoints lc rgb '#e6740b' dt 2 pt 6 ps 0.7 lw 1.5 title 'distance 0.7, seed 2', \
     'fig2c.csv' using 'epoch':'error_0.7_3' with linespoints lc rgb '#e6740b' dt 2 pt 8 ps 0.7 lw 1.5 title 'distance 0.7, seed 3'
unset output
