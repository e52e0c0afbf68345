# Run in this folder: gnuplot fig2a.gp
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
set terminal svg size 1200,620 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2a.svg'
set multiplot layout 1,2 title "Test loss on Potts data, gaussian couplings, L = q = 20, M = 3000; mean and range of 3 seeds\nfactored: SGD on masked tokens, batch 100, rate 0.1, momentum 0.9, best of 8 starts\nencoders: d = 20, SGD on masked tokens, batch 100, rate 0.1, momentum 0" font ',12'
set logscale xy
set xlabel 'epoch (one masked site per sequence)'
set ylabel 'test loss (nats per masked site)'
set key bottom left Left reverse samplen 3 font ',11'
set xrange [1:2000]
pick(d, f) = (column('distance') == d && strcol('family') eq f)
set style fill transparent solid 0.25 noborder
set title 'mean Hamming distance 0.3, beta = 5.49'
set yrange [0.0395:4]
plot 'fig2a.csv' using (pick(0.3, 'factored') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#08306b' notitle, \
     '' using (pick(0.3, 'factored') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#08306b' lw 2 dt 1 pt 7 ps 0.6 title 'factored attention', \
     'fig2a.csv' using (pick(0.3, 'encoder1') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#e6740b' notitle, \
     '' using (pick(0.3, 'encoder1') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#e6740b' lw 2 dt 2 pt 5 ps 0.6 title 'encoder, 1 block', \
     'fig2a.csv' using (pick(0.3, 'encoder3') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#555555' notitle, \
     '' using (pick(0.3, 'encoder3') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#555555' lw 2 dt 4 pt 9 ps 0.6 title 'encoder, 3 blocks', \
     0.09875095858 with lines ls 3 title 'optimal loss (true conditionals)'
set title 'mean Hamming distance 0.7, beta = 3.74'
set yrange [0.1278:4]
plot 'fig2a.csv' using (pick(0.7, 'factored') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#08306b' notitle, \
     '' using (pick(0.7, 'factored') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#08306b' lw 2 dt 1 pt 7 ps 0.6 title 'factored attention', \
     'fig2a.csv' using (pick(0.7, 'encoder1') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#e6740b' notitle, \
     '' using (pick(0.7, 'encoder1') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#e6740b' lw 2 dt 2 pt 5 ps 0.6 title 'encoder, 1 block', \
     'fig2a.csv' using (pick(0.7, 'encoder3') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#555555' notitle, \
     '' using (pick(0.7, 'encoder3') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#555555' lw 2 dt 4 pt 9 ps 0.6 title 'encoder, 3 blocks', \
     0.3195383111 with lines ls 3 title 'optimal loss (true conditionals)'
unset multiplot
unset output
unset multiplot
set terminal pngcairo size 1200,620 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig2a.png'
set multiplot layout 1,2 title "Test loss on Potts data, gaussian couplings, L = q = 20, M = 3000; mean and range of 3 seeds\nfactored: SGD on masked tokens, batch 100, rate 0.1, momentum 0.9, best of 8 starts\nencoders: d = 20, SGD on masked tokens, batch 100, rate 0.1, momentum 0" font ',12'
set logscale xy
set xlabel 'epoch (one masked site per sequence)'
set ylabel 'test loss (nats per masked site)'
set key bottom left Left reverse samplen 3 font ',11'
set xrange [1:2000]
pick(d, f) = (column('distance') == d && strcol('family') eq f)
set style fill transparent solid 0.25 noborder
set title 'mean Hamming distance 0.3, beta = 5.49'
set yrange [0.0395:4]
plot 'fig2a.csv' using (pick(0.3, 'factored') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#08306b' notitle, \
     '' using (pick(0.3, 'factored') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#08306b' lw 2 dt 1 pt 7 ps 0.6 title 'factored attention', \
     'fig2a.csv' using (pick(0.3, 'encoder1') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#e6740b' notitle, \
     '' using (pick(0.3, 'encoder1') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#e6740b' lw 2 dt 2 pt 5 ps 0.6 title 'encoder, 1 block', \
     'fig2a.csv' using (pick(0.3, 'encoder3') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#555555' notitle, \
     '' using (pick(0.3, 'encoder3') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#555555' lw 2 dt 4 pt 9 ps 0.6 title 'encoder, 3 blocks', \
     0.09875095858 with lines ls 3 title 'optimal loss (true conditionals)'
set title 'mean Hamming distance 0.7, beta = 3.74'
set yrange [0.1278:4]
plot 'fig2a.csv' using (pick(0.7, 'factored') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#08306b' notitle, \
     '' using (pick(0.7, 'factored') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#08306b' lw 2 dt 1 pt 7 ps 0.6 title 'factored attention', \
     'fig2a.csv' using (pick(0.7, 'encoder1') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#e6740b' notitle, \
     '' using (pick(0.7, 'encoder1') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#e6740b' lw 2 dt 2 pt 5 ps 0.6 title 'encoder, 1 block', \
     'fig2a.csv' using (pick(0.7, 'encoder3') ? column('epoch') : NaN):'lowest':'highest' with filledcurves lc rgb '#555555' notitle, \
     '' using (pick(0.7, 'encoder3') ? column('epoch') : NaN):'mean' with linespoints lc rgb '#555555' lw 2 dt 4 pt 9 ps 0.6 title 'encoder, 3 blocks', \
     0.3195383111 with lines ls 3 title 'optimal loss (true conditionals)'
unset multiplot
unset output
